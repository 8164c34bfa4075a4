/**
 * Starts the reference's renderer. It calls no other origin: fonts, telemetry, the assistant and the console
 * that would send calls from the browser are off.
 */
'use strict';

// A validator in the bundle tries whether it may create code from text, to be faster. The policy refuses
// that; refusing it here first avoids the browser's report.
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
    // Only the samples of the document are shown.
    hiddenClients: true,
    documentDownloadType: 'json',
    metaData: { title: 'Card payments: API reference' },
  });
});
