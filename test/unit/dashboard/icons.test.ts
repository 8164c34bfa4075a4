import { readIcons } from '../../../scripts/lib/dashboard-icons.mjs';
import { builtFile } from '../../../src/dashboard/parts/built-file.ts';
import { iconNames } from '../../../src/dashboard/parts/icon-names.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

it('every icon is the drawing that Lucide has, and the build has no other', () => {
  expect(JSON.parse(builtFile('icons.json'))).toEqual(readIcons(projectRoot, iconNames));
  expect(readIcons(projectRoot, { down: 'chevron-down' })).toEqual({ down: '<path d="m6 9 6 6 6-6" />' });
});

it('an icon that Lucide does not have fails the build', () => {
  expect(() => readIcons(projectRoot, { home: 'hause' })).toThrow(
    'Lucide has no icon "hause", which icon-names.ts has as "home": see lucide.dev/icons',
  );
});
