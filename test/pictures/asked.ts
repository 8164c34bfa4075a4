import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  comparePictures,
  otherBrowserTolerance,
  pictureTolerance,
} from '../support/harness/compare-pictures.ts';
import { keptPicture } from '../support/harness/kept-picture.ts';
import { projectRoot } from '../support/harness/project-root.ts';

/**
 * `npm run test:pictures` sets it: `compare`, or `refresh` to replace the pictures. Without it, a run of all
 * endurance tests compares the bounded part.
 */
const asked = process.env['PICTURES'];
export const isAsked = asked !== undefined;
export const isRefresh = asked === 'refresh';

/** The pages to look at, with commas between them; without it, all of them. */
const only = process.env['PICTURES_ONLY']?.split(',');
export const askedPages = <Name extends string>(all: readonly Name[]): Name[] =>
  all.filter((name) => only?.includes(name) ?? true);

/** The widths at which every page is pictured. */
export const sizes = [
  ['phone', 390, 844],
  ['tablet', 768, 1024],
  ['desktop', 1280, 800],
] as const;
export type Size = (typeof sizes)[number][0];
export const schemes = ['light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

/** A folder of kept pictures below test/kept-pictures; what differs is drawn into .cache. */
export class KeptPictures {
  readonly folder: string;
  readonly #differences: string;
  #tolerance = pictureTolerance;

  constructor(name: string) {
    this.folder = join(projectRoot, 'test', 'kept-pictures', name);
    this.#differences = join(projectRoot, '.cache', 'picture-differences');
  }

  /** `browser`: its version. Pictures of another one are compared with a wider tolerance. */
  async open(browser: string): Promise<void> {
    await mkdir(isRefresh ? this.folder : this.#differences, { recursive: true });
    const path = `${this.folder}-browser.txt`;
    if (isRefresh) await writeFile(path, `${browser}\n`);
    else if ((await readFile(path, 'utf8')).trim() !== browser) this.#tolerance = otherBrowserTolerance;
  }

  /** Returns how a picture differs from the kept one; null: it does not, or it is kept now. */
  async keepOrCompare(file: string, taken: Buffer): Promise<number | string | null> {
    const path = join(this.folder, file);
    if (isRefresh) {
      await writeFile(path, keptPicture(taken));
      return null;
    }
    // Fonts render differently on other platforms: the pictures were taken on Linux.
    if (process.platform !== 'linux') return null;
    if (!existsSync(path)) return 'not there';
    const found = comparePictures(await readFile(path), taken, this.#tolerance);
    if (found !== null && found.share <= this.#tolerance.share) return null;
    await writeFile(join(this.#differences, file), found?.marked ?? taken);
    return found?.share ?? 'another size';
  }
}
