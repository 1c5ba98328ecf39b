import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'

/** Adds a value to a list that an option builds up. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, ...value.split(',').filter((one) => one !== '')]
}

/** Options of every command that talks to a server. */
export function serverOptions(command: Command): Command {
  return command
    .option('--server <url>', 'address of the server (LANDFORM_SERVER, else http://127.0.0.1:8080)')
    .option('--user <login>', 'login (LANDFORM_USER) with LANDFORM_PASSWORD; else LANDFORM_TOKEN')
    .option('--data <folder>', 'data folder of a server on this machine, for its generated password')
    .option('--timeout <seconds>', 'longest wait for an answer', parseSeconds)
}

/** Those, and to write events: of commands that tell what they did one by one. */
export function eventOptions(command: Command): Command {
  return serverOptions(command).option('--json', 'write events as lines of JSON')
}

/** Options that allow a plan to do more than what is safe. */
export function allowanceOptions(command: Command): Command {
  return command
    .option('--prune', 'delete what this manifest made and no longer names')
    .option(
      '--fuse <percent>',
      'largest part of the resources that --prune may delete, and of the features a load may take away',
      parsePercent,
    )
    .option('--allow-delete <key>', 'allow a deletion past the fuse; may be repeated', collect)
    .option('--replace <key>', 'allow to delete and make anew what cannot change in place', collect)
    .option('--overwrite-data <key>', 'load the source of a layer over edited or unknown data', collect)
    .option('--allow-loss <key>', 'allow a resource to lose features, fields or entries', collect)
    .option('--adopt', 'take resources over from other manifests')
    .option('--send-secrets <key>', 'send the passwords of a resource again', collect)
}

/** Reads seconds, above zero. */
export function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!Number.isFinite(seconds) || seconds <= 0) throw new InvalidArgumentError('Give seconds above zero.')
  return seconds
}

/** Reads `10` or `10%` into 0.1. */
export function parsePercent(text: string): number {
  const percent = Number(text.replace(/%$/, ''))
  if (!Number.isFinite(percent) || percent < 0 || percent > 100)
    throw new InvalidArgumentError('Give a percentage from 0 to 100.')
  return percent / 100
}

/** Reads a whole number above zero. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('Give a whole number above zero.')
  return count
}
