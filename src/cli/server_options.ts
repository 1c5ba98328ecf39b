import type { Command } from 'commander'
import { listSettings } from '../server/settings/server_settings.ts'
import type { Setting } from '../server/settings/setting.ts'
import { collect } from './options.ts'

/** Server options from the command line parser, by their names in camel case. */
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

/** Returns the setting values by flag, undefined if not given. */
export function textsOfOptions(options: ServerOptions): Record<string, string | undefined> {
  const flags = listSettings().flatMap(([, { flag }]) => (flag === undefined ? [] : [flag]))
  return Object.fromEntries(
    flags.map((flag) => {
      const value = options[flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())]
      return [flag, value === undefined ? undefined : String(value)]
    }),
  )
}
