import { Argument, type Command, type Option } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command with what can follow it. */
interface CommandNode {
  /** Names from the program, exclusive, to the command, each after a space */
  path: string;
  /** Names of its commands, and choices of its arguments */
  words: string[];
  options: readonly Option[];
}

/** Adds `burnish completion`. */
export function addCompletionCommand(program: Command, print: (lines: string[]) => void): void {
  program
    .command('completion')
    .description('print the completion for a shell; in bash: source <(burnish completion bash)')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
    .action((shell: Shell) => print([writeCompletion(program, shell)]));
}

/**
 * Writes the completion of a program: commands, options and their choices, and files elsewhere. The script is complete in
 * itself, so that a press of Tab starts no process.
 */
export function writeCompletion(program: Command, shell: Shell): string {
  const nodes = listNodes(program, '');
  const name = program.name();
  if (shell === 'fish') return fishCompletion(name, nodes);
  // zsh runs completions of bash.
  const script = bashCompletion(name, nodes);
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function listNodes(command: Command, path: string): CommandNode[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const node = {
    path,
    words: [...children.map((child) => child.name()), ...choices],
    options: help.visibleOptions(command),
  };
  const commands = children.filter((child) => child.name() !== 'help');
  return [node, ...commands.flatMap((child) => listNodes(child, `${path} ${child.name()}`))];
}

const takesValue = ({ required, optional }: Option): boolean => required || optional;
const listFlags = ({ short, long }: Option): string[] => [short, long].filter((flag) => flag !== undefined);
const quoted = (word: string): string => `'${word}'`;
/** Patterns of all commands but the program itself. */
const knownPaths = (nodes: readonly CommandNode[]): string[] => nodes.slice(1).map(({ path }) => quoted(path));

function bashCompletion(name: string, nodes: readonly CommandNode[]): string {
  const values = nodes.flatMap(({ path, options }) =>
    options.filter(takesValue).map((option) => {
      const patterns = listFlags(option).map((flag) => quoted(`${path} ${flag}`));
      return `    ${patterns.join(' | ')}) ${offer(option.argChoices ?? [])}; return ;;`;
    }),
  );
  const words = nodes.flatMap((node) => [
    `    '${node.path}:-'*) ${offer(node.options.map(({ long, short }) => long ?? short ?? ''))} ;;`,
    `    '${node.path}:'*) ${offer(node.words)} ;;`,
  ]);
  return `_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${knownPaths(nodes).join(' | ')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $previous" in
${values.join('\n')}
  esac
  case "$path:$current" in
${words.join('\n')}
  esac
}
complete -o default -F _${name} ${name}`;
}

/** Without words, the shell completes the names of files. */
const offer = (words: readonly string[]): string =>
  words.length === 0 ? ':' : `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current"))`;

function fishCompletion(name: string, nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap(({ path, words, options }) => {
    const here = `complete -c ${name} -n '__${name}_at "${path}"'`;
    return [
      ...(words.length === 0 ? [] : [`${here} -f -a '${words.join(' ')}'`]),
      ...options.map((option) => {
        const flags = listFlags(option).map((flag) =>
          flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const value = option.argChoices ? ` -x -a '${option.argChoices.join(' ')}'` : takesValue(option) ? ' -r' : '';
        return `${here} ${flags.join(' ')}${value}`;
      }),
    ];
  });
  return `function __${name}_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    switch "$path $word"
      case ${knownPaths(nodes).join(' ')}
        set path "$path $word"
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}`;
}
