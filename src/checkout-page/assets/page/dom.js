export const root = document.getElementById('checkout');
export const pageData = root.dataset;
export const byId = (id) => document.getElementById(id);
export const framed = window.parent !== window;

/** Shows and announces texts, each on its own line. */
export const announce = (...lines) => {
  byId('live').replaceChildren(
    ...lines.map((line) => {
      const shown = document.createElement('span');
      shown.append(line);
      return shown;
    }),
  );
};

/** For screen readers only. */
export const announceUnseen = (line) => {
  announce(line);
  byId('live').firstChild.className = 'unseen';
};

export const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Whether `value` is a text of `min` to `max` characters. */
export const isText = (value, min, max) =>
  typeof value === 'string' && value.length >= min && value.length <= max;
