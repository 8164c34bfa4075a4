import { texts } from '../texts/en.ts';
import { renderPlainPage } from './document.tsx';

/** The targets of a message page's link. */
const linkTargets = {
  dashboard: { href: '/dashboard', label: texts.common.goToDashboard },
  signIn: { href: '/dashboard/sign-in', label: texts.common.goToSignIn },
} as const;

/** Returns a page with a message and a link. */
export const messagePage = (
  title: string,
  message: string,
  target: keyof typeof linkTargets = 'dashboard',
): string =>
  renderPlainPage(
    title,
    <>
      <p>{message}</p>
      <p>
        <a href={linkTargets[target].href}>{linkTargets[target].label}</a>
      </p>
    </>,
  );

/** Returns the page for members of a disabled merchant, who can only sign out. */
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
    texts.common.disabledTitle,
    <form method="post" action={`${base}/sign-out`} class="fields">
      <input type="hidden" name="csrf" value={csrf} />
      <p>{texts.common.disabledText(merchantName)}</p>
      <p class="quiet-text">{texts.common.signedInAs(memberName)}</p>
      <button type="submit" class="btn" data-variant="outline">
        {texts.common.signOut}
      </button>
    </form>,
  );
