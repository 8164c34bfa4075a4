/** Applies the parent's scheme, accents, corners and font; ignores malformed values. */
export const applyTheme = ({ accent, accentDark, theme, radius, font }) => {
  const { dataset, style } = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  if (['none', 'small', 'large'].includes(radius)) dataset.radius = radius;
  if (['serif', 'humanist', 'mono'].includes(font)) dataset.font = font;
  const hex = /^[0-9a-f]{6}$/;
  if (!hex.test(accent) || !hex.test(accentDark)) return;
  const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
  const paint = () => {
    const dark = dataset.theme ? dataset.theme === 'dark' : prefersDark.matches;
    style.setProperty('--accent', `#${dark ? accentDark : accent}`);
  };
  prefersDark.addEventListener('change', paint);
  paint();
};
