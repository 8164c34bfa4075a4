import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { openApiDocument } from '../../../src/api/docs/document.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

it('the generated modules of the Python client are those that the document gives', () => {
  const generator = join(projectRoot, 'sdk', 'python', 'generate.py');
  const { status, stderr } = spawnSync('python3', [generator, '--check'], {
    input: JSON.stringify(openApiDocument('https://pay.example')),
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect([status, stderr]).toEqual([0, '']);
});
