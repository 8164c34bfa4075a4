/**
 * Starts the reference's renderer. It asks nothing of other origins: fonts, telemetry, the assistant and the
 * console that would send calls from the browser are off.
 */
'use strict';

// A validator in the bundle tries for its own speed whether code may be made of texts. The policy refuses that; here
// it is refused before the browser reports it.
globalThis.Function = new Proxy(Function, {
  construct() {
    throw new EvalError('not allowed on this page');
  },
});

document.addEventListener('DOMContentLoaded', () => {
  globalThis.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    hideTestRequestButton: true,
    showDeveloperTools: 'never',
    // The samples of the document are shown alone.
    hiddenClients: true,
    documentDownloadType: 'json',
    metaData: { title: 'Card payments: API reference' },
  });
});
