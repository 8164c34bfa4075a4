import { Icon } from '../parts/icons.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.home.setUp;

/** A merchant's progress in setting up. */
export interface SetUpProgress {
  key: boolean;
  endpoint: boolean;
  branding: boolean;
  passkey: boolean;
  connector: boolean;
}

/**
 * The steps to the first live payment, with a mark on finished ones. Each links to the page where it is done.
 * Folded once a step is finished.
 */
export function SetUp({ frame, progress }: { frame: Frame; progress: SetUpProgress }) {
  const steps = [
    { name: 'key', href: `${frame.base}/developers` },
    { name: 'endpoint', href: `${frame.base}/webhooks` },
    { name: 'branding', href: `${frame.base}/branding` },
    { name: 'passkey', href: `${frame.base}/team#sign-in` },
    { name: 'connector', href: '/dashboard/live/settings' },
  ] as const;
  const done = steps.filter(({ name }) => progress[name]).length;
  return (
    <details class="card fold" open={done === 0}>
      <summary>
        <h2>{text.title}</h2> <span class="quiet-text">{text.done(done, steps.length)}</span>
      </summary>
      <ol class="set-up" data-testid="set-up">
        {steps.map(({ name, href }) => (
          <li key={name} class={progress[name] ? 'is-done' : undefined}>
            <Icon of={progress[name] ? 'done' : 'open'} />
            <div>
              {progress[name] ? <span>{text.steps[name]}</span> : <a href={href}>{text.steps[name]}</a>}
              <span class="sr-only">{progress[name] ? text.isDone : text.isOpen}</span>
              {progress[name] ? null : <p class="quiet-text">{text.reasons[name]}</p>}
            </div>
          </li>
        ))}
      </ol>
    </details>
  );
}
