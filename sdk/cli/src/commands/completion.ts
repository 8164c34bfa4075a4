import { type Command, InvalidArgumentError } from 'commander';
import { triggerTypes } from '../trigger/recipes.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** `completion bash|zsh|fish`: prints a script that completes commands and flags. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a script that completes commands and flags, to be loaded by your shell.')
    .argument('<shell>', shells.join(', '), shellOf)
    .action((shell: Shell) => {
      process.stdout.write(scripts[shell](wordsOf(program)));
    });
}

function shellOf(text: string): Shell {
  const shell = shells.find((one) => one === text);
  if (shell === undefined) throw new InvalidArgumentError(`It must be one of ${shells.join(', ')}.`);
  return shell;
}

/** The words that may follow a command, such as `payments find`. */
interface Words {
  after: string;
  words: readonly string[];
}

/** Returns the words that may follow each command, the longest command first. */
function wordsOf(program: Command): Words[] {
  const visit = (command: Command, path: readonly string[]): Words[] => {
    const flags = command.options.flatMap(({ long }) => long ?? []);
    const values = path.join(' ') === 'trigger' ? triggerTypes : path[0] === 'completion' ? shells : [];
    const names = command.commands.map((one) => one.name());
    const deeper = command.commands.flatMap((one) => visit(one, [...path, one.name()]));
    return [...deeper, { after: path.join(' '), words: [...names, ...values, ...flags, '--help'] }];
  };
  return visit(program, []);
}

const bash = (all: readonly Words[]): string => `# card-payments completion bash
_card_payments() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="\${path:+$path }$word" ;; esac
  done
  local words=""
  case "$path" in
${all.map(({ after, words }) => `    ${after === '' ? '""' : `"${after}"*`}) words="${words.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _card_payments card-payments
`;

const scripts: Readonly<Record<Shell, (all: readonly Words[]) => string>> = {
  bash,
  // The script of bash, which runs in zsh's emulation of bash.
  zsh: (all) => `#compdef card-payments
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash(all)}`,
  fish: (all) =>
    `# card-payments completion fish\ncomplete -c card-payments -f\n${all
      .map(({ after, words }) => {
        const condition =
          after === ''
            ? '__fish_use_subcommand'
            : after
                .split(' ')
                .map((word) => `__fish_seen_subcommand_from ${word}`)
                .join('; and ');
        return `complete -c card-payments -n '${condition}' -a '${words.join(' ')}'`;
      })
      .join('\n')}\n`,
};
