import type { Command } from 'commander'
import { listSettings, type Setting } from '../server/settings/server_settings.ts'
import { collect } from './options.ts'

/** Options that set a server up, by their names in camel case, as the parser of the command line gives them. */
export type ServerOptions = Readonly<Record<string, unknown>>

/** Declares the options of the server's settings. */
export function settingOptions(command: Command): Command {
  for (const [, setting] of listSettings()) {
    const { flag, argument, isList } = setting
    if (flag === undefined) continue
    const words = argument === undefined ? flag : `${flag} ${argument}`
    if (isList) command.option(words, helpOf(setting), collect)
    else command.option(words, helpOf(setting))
  }
  return command
}

function helpOf({ help, variable, defaultHelp }: Setting<unknown>): string {
  const fallback = defaultHelp === undefined ? '' : `; default: ${defaultHelp}`
  return `${help} (${variable}${fallback})`
}

/** Gives the texts of the settings by flag, with those that were not given undefined. */
export function textsOfOptions(options: ServerOptions): Record<string, string | undefined> {
  const flags = listSettings().flatMap(([, { flag }]) => (flag === undefined ? [] : [flag]))
  return Object.fromEntries(
    flags.map((flag) => {
      const value = options[flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())]
      return [flag, value === undefined ? undefined : String(value)]
    }),
  )
}
