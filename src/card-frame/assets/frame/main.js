import { cvv, fields, lock, number, showFormProblem, showProblem } from './fields.js';
import { showBrand } from './formatting.js';
import { listenToParent, postToParent, reportHeight } from './parent.js';
import { setFrameKey, submit } from './submit.js';
import { applyTheme } from './theme.js';
import { startTyping } from './typing.js';
import { forgetRejection, reportValidity } from './validation.js';

/**
 * Empties the security code, which is needed again after a decline, or, with `all`, every field for another
 * card.
 */
const clear = (all) => {
  forgetRejection();
  showFormProblem('');
  for (const field of all ? fields : [cvv]) {
    field.value = '';
    showProblem(field, null);
  }
  showBrand();
  reportValidity();
  if (all) number.focus();
};

startTyping();
listenToParent({
  init: (message) => {
    setFrameKey(message.frameKey);
    applyTheme(message);
  },
  submit: (id) => void submit(id),
  unlock: () => lock(false),
  clear,
  focus: () => number.focus(),
});
reportHeight();
showBrand();
// Values that were typed or autofilled before this script ran.
for (const field of fields) {
  if (field.value !== '') field.dispatchEvent(new Event('input', { bubbles: true }));
}
if (window.parent !== window) postToParent('ready');
