import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/harness/project-root.ts';
import type { Program } from './blocks.ts';

const exec = promisify(execFile);

/**
 * Checks the TypeScript programs as a merchant's compiler does. Returns what does not fit, such as a field
 * that the document does not have, each with the guide's file and line.
 */
export async function typeFaults(programs: readonly Program[], shop: string): Promise<string[]> {
  const own = programs.filter(({ language }) => language === 'ts');
  if (own.length === 0) return [];
  const folder = join(shop, 'types');
  mkdirSync(folder);
  // The types of Node.js, as `npm install -D @types/node` would give.
  const types = join(projectRoot, 'node_modules', '@types');
  symlinkSync(types, join(shop, 'node_modules', '@types'));
  symlinkSync(join(projectRoot, 'node_modules', 'undici-types'), join(shop, 'node_modules', 'undici-types'));
  const names = own.map(({ file, source }, index) => {
    writeFileSync(join(folder, `${index}.ts`), source);
    return [`${index}.ts`, file] as const;
  });
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: ['node'] };
  const compilerOptions = { ...options, lib: ['es2023'], skipLibCheck: true };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const checked = await exec(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
  }).then(
    () => '',
    (error: { stdout?: string }) => error.stdout ?? 'the types could not be checked',
  );
  return checked
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, at, text] = /^(\d+\.ts)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
      const file = names.find(([known]) => known === name)?.[1];
      return file === undefined ? line : `${file}:${at}: ${text}`;
    });
}
