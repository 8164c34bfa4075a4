import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icons.tsx';
import { texts } from '../texts/en.ts';

/** The settings of a section, one below the other. */
export const SettingList = ({ children }: { children: ComponentChildren }) => (
  <div class="setting-list">{children}</div>
);

/**
 * One setting: a line with its name and value, which opens the form that changes it. Without a form it is
 * only the line.
 */
export function Setting({
  name,
  value,
  isOpen = false,
  children,
}: {
  name: string;
  value: ComponentChildren;
  /** Whether the form is open from the beginning, because it was refused or needs a confirmation. */
  isOpen?: boolean;
  /** The form; null for a member who may not change it. */
  children: ComponentChildren;
}) {
  const line = (
    <>
      <span class="setting-name">{name}</span> <span class="setting-value">{value}</span>
    </>
  );
  if (children === null) return <div class="setting setting-line">{line}</div>;
  return (
    <details class="setting" open={isOpen || undefined}>
      <summary class="setting-line">
        {line}{' '}
        <span class="setting-change">
          {texts.settings.change}
          <Icon of="more" />
        </span>
      </summary>
      <div class="setting-form">{children}</div>
    </details>
  );
}

/** One setting that has a page of its own. */
export const SettingLink = ({
  name,
  value,
  href,
  label,
  testId,
}: {
  name: string;
  value: ComponentChildren;
  href: string;
  label: string;
  testId: string;
}) => (
  <div class="setting setting-line">
    <span class="setting-name">{name}</span> <span class="setting-value">{value}</span>
    <a class="setting-change" href={href} data-testid={testId}>
      {label}
    </a>
  </div>
);

/** The button that saves the form of a setting. */
export const SaveButton = () => (
  <div class="actions">
    <button type="submit" class="btn">
      {texts.common.save}
    </button>
  </div>
);
