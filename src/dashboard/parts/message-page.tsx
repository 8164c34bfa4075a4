import { renderPlainPage } from './document.tsx';

/** Where a page that says one thing leads on to. */
const ways = {
  dashboard: { href: '/dashboard', label: 'Go to the dashboard' },
  signIn: { href: '/dashboard/sign-in', label: 'Go to the sign-in' },
} as const;

/** Returns a page that says one thing, and leads on. */
export const messagePage = (title: string, text: string, way: keyof typeof ways = 'dashboard'): string =>
  renderPlainPage(
    title,
    <>
      <p>{text}</p>
      <p>
        <a href={ways[way].href}>{ways[way].label}</a>
      </p>
    </>,
  );

/** Returns the page of whose merchant is disabled: all they can do is sign out. */
export const disabledPage = ({
  csrf,
  base,
  memberName,
  merchantName,
}: {
  csrf: string;
  /** Path of the dashboard in this environment. */
  base: string;
  memberName: string;
  merchantName: string;
}): string =>
  renderPlainPage(
    'This account is disabled',
    <form method="post" action={`${base}/sign-out`} class="fields">
      <input type="hidden" name="csrf" value={csrf} />
      <p>
        Nothing was lost: payments of {merchantName} that are under way are settled, and no new ones are
        taken. Ask whoever runs this service.
      </p>
      <p class="quiet-text">You are signed in as {memberName}.</p>
      <button type="submit" class="quiet">
        Sign out
      </button>
    </form>,
  );
