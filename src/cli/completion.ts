import type { Command } from 'commander';

/**
 * Writes the completion of a program for bash: commands, options and their choices, and files elsewhere. The script is
 * complete in itself, so that a press of Tab starts no process.
 */
export function bashCompletion(program: Command): string {
  const known: string[] = [];
  const choices: string[] = [];
  const words: string[] = [];
  const visit = (command: Command, path: string): void => {
    const help = command.createHelp();
    const options = help.visibleOptions(command);
    for (const option of options.filter(({ required, optional }) => required || optional)) {
      const patterns = [option.short, option.long].flatMap((flag) => (flag ? [`'${path} ${flag}'`] : []));
      choices.push(`    ${patterns.join(' | ')}) ${offer(option.argChoices ?? [])}; return ;;`);
    }
    const flags = options.flatMap(({ long, short }) => long ?? short ?? []);
    const children = help.visibleCommands(command);
    const others = [
      ...children.map((child) => child.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ];
    words.push(`    '${path}:-'*) ${offer(flags)} ;;`, `    '${path}:'*) ${offer(others)} ;;`);
    for (const child of children.filter((child) => child.name() !== 'help')) {
      known.push(`'${path} ${child.name()}'`);
      visit(child, `${path} ${child.name()}`);
    }
  };
  visit(program, '');
  const name = program.name();
  return `_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${known.join(' | ')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $previous" in
${choices.join('\n')}
  esac
  case "$path:$current" in
${words.join('\n')}
  esac
}
complete -o default -F _${name} ${name}`;
}

/** Without words, bash completes the names of files. */
const offer = (words: readonly string[]): string =>
  words.length === 0 ? ':' : `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`;
