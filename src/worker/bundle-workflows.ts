import { fileURLToPath } from 'node:url';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { failureConverterPath } from '../temporal/data-converter.ts';

/** Bundles the workflows with everything they import. Returns JavaScript for the worker's sandbox. */
export async function bundleWorkflows(): Promise<string> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const path = (name: string): string =>
    fileURLToPath(new URL(`../workflows/${name}.${extension}`, import.meta.url));
  const { code } = await bundleWorkflowCode({
    workflowsPath: path('index'),
    // Evaluated once for all workflows of a process, so no module may keep state of its own.
    preloadModules: [path('stack-depth'), path('index')],
    workflowInterceptorModules: [path('refuse-payloads'), path('carry-cause')],
    failureConverterPath: failureConverterPath(),
    logger: new DefaultLogger('WARN'),
  });
  return code;
}
