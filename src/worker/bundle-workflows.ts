import { fileURLToPath } from 'node:url';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { failureConverterPath } from '../temporal/data-converter.ts';

/** Bundles the workflows with everything they import. Returns JavaScript for the worker's sandbox. */
export async function bundleWorkflows(): Promise<string> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url)),
    failureConverterPath: failureConverterPath(),
    logger: new DefaultLogger('WARN'),
  });
  return code;
}
