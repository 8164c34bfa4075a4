import { curlParts } from '../../scripts/lib/curl-sample.mjs';
import { codeSamples } from '../../src/api/docs/code-samples.ts';
import { textOf } from '../../src/api/docs/json.ts';

/** An id of no object. */
const noId = '01980a5d-1b2c-7d4e-8f90-a1b2c3d4e5f6';

/** Returns the body of an operation's sample, with values in place of variables; null without one. */
export function sampleBody(operation: string): Record<string, unknown> | null {
  const { body } = curlParts(textOf(codeSamples({ id: operation })[0]?.['source']));
  const sent = body?.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) =>
    name.endsWith('Id') && name !== 'orderId' ? noId : `${name}-0123456789`,
  );
  return sent === undefined ? null : (JSON.parse(sent) as Record<string, unknown>);
}
