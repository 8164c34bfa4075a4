import { builtFile } from './built-file.ts';
import type { IconName } from './icon-names.ts';

/** The shapes of each drawing, 24 by 24, as Lucide has them. Constants of the build, so not escaped. */
const shapes = JSON.parse(builtFile('icons.json')) as Readonly<Record<IconName, string>>;

/** An icon beside text; screen readers skip it. */
export const Icon = ({ of: name }: { of: IconName }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    aria-hidden="true"
    dangerouslySetInnerHTML={{ ['__html']: shapes[name] }}
  />
);
