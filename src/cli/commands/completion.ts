import { Argument } from 'commander'
import type { CommandSpec } from '../command.ts'
import { writeLine } from '../terminal.ts'

/** Script of each shell. It asks `landform complete` for words, and completes file names where there are none. */
const scripts = {
  bash: `_landform() {
  local IFS=$'\\n'
  local -a found
  mapfile -t found < <(landform complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${found[@]%%$'\\t'*}")
}
complete -o default -o bashdefault -F _landform landform`,
  zsh: `#compdef landform
_landform() {
  local -a found
  found=("\${(@f)$(landform complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( \${#found} )); then
    found=("\${(@)found//:/\\\\:}")
    found=("\${(@)found/$'\\t'/:}")
    _describe landform found
  else
    _files
  fi
}
compdef _landform landform`,
  fish: `complete -c landform -a '(landform complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
} as const

const shells = Object.keys(scripts) as (keyof typeof scripts)[]

/** The command `completion`. */
export const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'print a script that completes commands, options and their values in a shell',
  examples: [
    'source <(landform completion bash)   # for this shell; add the line to ~/.bashrc',
    'source <(landform completion zsh)   # after compinit; add the line to ~/.zshrc',
    'landform completion fish > ~/.config/fish/completions/landform.fish',
  ],
  declare: (command) => command.addArgument(new Argument('<shell>', 'shell').choices(shells)),
  run: async ({ arguments: [shell] }, { out }) => {
    writeLine(out, scripts[shell as keyof typeof scripts])
    return 0
  },
}
