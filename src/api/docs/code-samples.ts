import { readFileSync } from 'node:fs';
import type { JsonObject } from './json.ts';

interface Sources {
  sh: string;
  ts: string;
  python: string;
}

let stored: Readonly<Record<string, Sources>> | undefined;

/**
 * Returns the samples of an operation: the same call with curl and with both SDKs, whose client is named
 * `cp`. The samples are blocks of `docs/guides` that `npm run test:guides` runs; `npm run docs:samples`
 * copies them.
 */
export function codeSamples({ id }: { id: string }): JsonObject[] {
  const sources = storedSamples()[id];
  if (sources === undefined)
    throw new Error(`${id} has no sample: mark its blocks, then npm run docs:samples`);
  return [
    { lang: 'Shell', label: 'curl', source: sources.sh },
    // These two have no label: readers then show the language.
    { lang: 'TypeScript', source: sources.ts },
    { lang: 'Python', source: sources.python },
  ];
}

function storedSamples(): Readonly<Record<string, Sources>> {
  const file = new URL('./assets/code-samples.json', import.meta.url);
  return (stored ??= JSON.parse(readFileSync(file, 'utf8')) as Record<string, Sources>);
}
