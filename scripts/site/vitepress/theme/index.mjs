// The fonts of the system: none is loaded.
export { default } from 'vitepress/theme-without-fonts';
