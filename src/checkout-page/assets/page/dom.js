/** What the server said of this page, and the few things every part of the script needs. */
export const root = document.getElementById('checkout');
export const told = root.dataset;
export const byId = (id) => document.getElementById(id);
export const framed = window.parent !== window;

/** Speaks through the page's one polite live region, a line for each text. */
export const say = (...lines) => {
  byId('live').replaceChildren(
    ...lines.map((line) => {
      const shown = document.createElement('span');
      shown.append(line);
      return shown;
    }),
  );
};

/** Tells only those who do not see what has changed on the page. */
export const whisper = (line) => {
  say(line);
  byId('live').firstChild.className = 'unseen';
};

export const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Whether `value` is a text of `min` to `max` characters: nothing that came from elsewhere is used unlooked at. */
export const isText = (value, min, max) =>
  typeof value === 'string' && value.length >= min && value.length <= max;
