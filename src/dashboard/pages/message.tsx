import { renderPlainPage } from '../document.tsx';

/** Returns a page that says one thing, and leads back. */
export const messagePage = (title: string, text: string): string =>
  renderPlainPage(
    title,
    <>
      <p>{text}</p>
      <p>
        <a href="/dashboard">Go to the dashboard</a>
      </p>
    </>,
  );
