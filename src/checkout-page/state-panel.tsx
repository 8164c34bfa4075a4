import { CardMark } from '../card-marks/card-mark.tsx';
import { Closed, closedTexts, iconOf, Paid } from './endings.tsx';
import { cardName } from './format.ts';
import { MethodMark } from './icons.tsx';
import { fill, type Messages } from './messages.ts';
import { Pix } from './pix.tsx';
import { Actions, BackToShop, OtherWay, Refresh } from './step-parts.tsx';
import type { CheckoutView, PageState } from './view.ts';

type State<Kind extends PageState['kind']> = Extract<PageState, { kind: Kind }>;
type ShownState = Exclude<PageState, State<'open'>>;

interface PanelProps<Shown> {
  view: CheckoutView;
  state: Shown;
  text: Messages;
}

/** The heading of a state. */
export function titleOf(
  { state, merchantName, walletName }: Pick<CheckoutView, 'state' | 'merchantName' | 'walletName'>,
  text: Messages,
): string {
  switch (state.kind) {
    case 'open':
      return text.failedTitle;
    case 'elsewhere':
      return fill(text.elsewhereTitle, { merchant: merchantName });
    case 'processing':
      return text.processingTitle;
    case 'challenge':
      return text.challengeTitle;
    case 'wallet':
      return walletName === null ? text.walletTitle : fill(text.walletTitleNamed, { wallet: walletName });
    case 'pix':
      return text.pixTitle;
    case 'paid':
      return text.paidTitle;
    case 'closed':
      return text[closedTexts[state.reason][0]];
  }
}

/** The panel of every state except the one in which a method is chosen. */
export function StatePanel({ view, state, text }: PanelProps<ShownState>) {
  const ends = state.kind === 'paid' || state.kind === 'closed' || state.kind === 'elsewhere';
  return (
    <section class={`state state-${state.kind}`} aria-labelledby="status" data-testid={`state-${state.kind}`}>
      {ends ? iconOf(state) : null}
      {state.kind === 'wallet' ? <MethodMark method="wallet" wallet={view.walletMark ?? null} /> : null}
      {state.kind === 'processing' ? <span class="spinner" aria-hidden="true" /> : null}
      <h1 id="status" tabIndex={-1}>
        {titleOf(view, text)}
      </h1>
      <Panel view={view} state={state} text={text} />
    </section>
  );
}

function Panel({ view, state, text }: PanelProps<ShownState>) {
  switch (state.kind) {
    case 'elsewhere':
      return (
        <>
          <p>{text.elsewhereText}</p>
          <Actions>
            <BackToShop url={view.cancelUrl} text={text} />
          </Actions>
        </>
      );
    case 'processing':
      return <Processing view={view} state={state} text={text} />;
    case 'challenge':
      return <Challenge view={view} state={state} text={text} />;
    case 'wallet':
      return <Wallet view={view} state={state} text={text} />;
    case 'pix':
      return <Pix view={view} state={state} text={text} />;
    case 'paid':
      return <Paid view={view} state={state} text={text} />;
    case 'closed':
      return <Closed view={view} state={state} text={text} />;
  }
}

/** The customer approves the payment in the wallet, on its own page. */
function Wallet({ view, state, text }: PanelProps<State<'wallet'>>) {
  const { walletName: wallet } = view;
  const named = (plain: string, withName: string) => (wallet === null ? plain : fill(withName, { wallet }));
  return (
    <>
      <p>{named(text.walletText, text.walletTextNamed)}</p>
      <Actions>
        <a class="button" href={state.url} target="_top" rel="noreferrer" data-testid="wallet-open">
          {named(text.walletOpen, text.walletOpenNamed)}
        </a>
      </Actions>
      <OtherWay view={view} text={text} />
    </>
  );
}

/** The attempt is running or its outcome is unknown: the customer waits, without links to other pages. */
function Processing({ view, state, text }: PanelProps<State<'processing'>>) {
  return (
    <>
      {state.card === null ? null : (
        <p class="paying-card nowrap">
          <CardMark brand={state.card.brand} /> {cardName(state.card)}
        </p>
      )}
      <p>{text.processingText}</p>
      <Refresh view={view} text={text} />
    </>
  );
}

/** The bank's page in a frame. For a bank that refuses to be framed, a link opens it in this window. */
function Challenge({ view, state, text }: PanelProps<State<'challenge'>>) {
  return (
    <>
      <p>{text.challengeText}</p>
      <iframe
        class="challenge"
        id="challenge"
        title={text.challengeFrame}
        src={state.url}
        referrerpolicy="no-referrer"
      />
      <p>
        <a class="quiet" href={state.windowUrl} rel="noreferrer">
          {text.openInWindow}
        </a>
      </p>
      <Refresh view={view} text={text} label={text.stepDone} />
      {state.mayLeave ? <OtherWay view={view} text={text} /> : null}
    </>
  );
}
