// Uses the fonts of the system; no font is loaded.
export { default } from 'vitepress/theme-without-fonts';
