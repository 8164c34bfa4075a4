import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the licences of packages as one text, for the file that is kept beside what contains them.
 * @param {string} root
 * @param {Iterable<string>} folders of the packages, below `root`
 */
export function licencesOf(root, folders) {
  return [...folders]
    .sort()
    .map((folder) => licenceOf(join(root, folder)))
    .join('\n');
}

/** @param {string} folder */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const path = join(folder, file ?? '');
  const text = file !== undefined && existsSync(path) ? readFileSync(path, 'utf8').trim() : `${license}`;
  return `${name} ${version}\n\n${text}\n`;
}
