import type { ComponentChildren } from 'preact';
import { texts } from '../texts/en.ts';
import { Icon } from './icons.tsx';

/** A secret to copy, shown once. */
export function Secret({
  label,
  value,
  testId,
  many = false,
}: {
  label: string;
  value: string;
  testId: string;
  /** Whether there are several secrets, one per line. */
  many?: boolean;
}) {
  return (
    <div class="secret">
      <p>
        <strong>{label}</strong> {many ? texts.common.copyAllNow : texts.common.copyNow}
      </p>
      <div class="copy">
        <code data-testid={testId}>{value}</code>
        <button
          type="button"
          class="btn"
          data-variant="outline"
          data-copy={value}
          data-copied={texts.common.copied}
          data-copy-failed={texts.common.copyFailed}
          hidden
        >
          {texts.common.copy}
        </button>
      </div>
    </div>
  );
}

/** A value with a copy button, which the script shows. */
export const Copied = ({ value, children }: { value: string; children: ComponentChildren }) => (
  <div class="copied">
    <span>{children}</span>
    <button
      type="button"
      class="btn text-muted-foreground"
      data-variant="ghost"
      data-size="xs"
      data-copy={value}
      data-copied={texts.common.copied}
      data-copy-failed={texts.common.copyFailed}
      title={texts.common.copy}
      hidden
    >
      <Icon of="copy" />
      <span class="sr-only">{texts.common.copy}</span>
    </button>
  </div>
);
