import { fields, lock } from './fields.js';
import { showBrand } from './formatting.js';
import { listenToParent, postToParent, reportHeight } from './parent.js';
import { setFrameKey, submit } from './submit.js';
import { applyTheme } from './theme.js';
import { startTyping } from './typing.js';

startTyping();
listenToParent({
  init: (message) => {
    setFrameKey(message.frameKey);
    applyTheme(message);
  },
  submit: (id) => void submit(id),
  unlock: () => lock(false),
});
reportHeight();
showBrand();
// Typed or autofilled before this script ran.
for (const field of fields) {
  if (field.value !== '') field.dispatchEvent(new Event('input', { bubbles: true }));
}
if (window.parent !== window) postToParent('ready');
