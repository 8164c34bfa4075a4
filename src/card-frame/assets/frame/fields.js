export const form = document.getElementById('card');
export const byId = (id) => document.getElementById(id);
export const [number, expiry, cvv] = ['card_number', 'card_expiry', 'card_cvv'].map(byId);
export const fields = [number, expiry, cvv];

export const digits = (field) => field.value.replace(/\D/g, '');

// Locks the fields without clearing them, because a declined card may be corrected.
export const lock = (locked) => {
  for (const field of fields) field.readOnly = locked;
};

/** `problem`: the name of a `data-` text of the field, or null. */
export const showProblem = (field, problem) => {
  if (problem === null) field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
  byId(`${field.id}_problem`).textContent =
    problem === null ? '' : field.dataset[problem].replace('{brand}', () => byId('brand').value);
  field.dataset.shown = problem ?? '';
  const testCards = byId('test-cards');
  if (field === number && testCards) testCards.hidden = problem !== 'unsupported' && problem !== 'refused';
};

export const showFormProblem = (text) => {
  byId('problem').textContent = text;
};
