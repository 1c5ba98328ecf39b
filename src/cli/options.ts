import { Command, InvalidArgumentError } from 'commander'
import type { Bbox } from '../geo/bbox.ts'

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, ...value.split(',').filter((one) => one !== '')]
}

/** Declares the options of commands that connect to a server. */
export function serverOptions(command: Command): Command {
  return command
    .option('--server <url>', 'address of the server (LANDFORM_SERVER, else http://127.0.0.1:8080)')
    .option('--user <login>', 'login (LANDFORM_USER) with LANDFORM_PASSWORD; else LANDFORM_TOKEN')
    .option('--data <folder>', 'data directory of a server on this machine, for its generated password')
    .option(
      '--timeout <seconds>',
      'timeout of every request, for its answer and between its parts',
      parseSeconds,
    )
}

/** Declares the options of commands that connect to a server and write events. */
export function eventOptions(command: Command): Command {
  return serverOptions(command).option('--json', 'write events as JSON lines')
}

/** Collects the keys of `--only`: without one, it would not limit anything. */
export function collectOnly(value: string, before: readonly string[] = []): string[] {
  const keys = collect(value, before)
  if (keys.length === 0) throw new InvalidArgumentError('Use the key of a resource.')
  return keys
}

/** Declares options that allow destructive changes. */
export function allowanceOptions(command: Command): Command {
  return command
    .option('--only <key>', 'change only this resource and what it needs; may be repeated', collectOnly)
    .option('--prune', 'delete managed resources that the manifest no longer declares')
    .option(
      '--fuse <percent>',
      'maximum share of resources that --prune may delete, and of features that a load may remove',
      parsePercent,
    )
    .option('--allow-delete <key>', 'allow a deletion beyond the fuse; may be repeated', collect)
    .option(
      '--replace <key>',
      'allow deleting and recreating a resource that cannot be changed in place',
      collect,
    )
    .option('--overwrite-data <key>', 'overwrite edited or unknown data of a layer with its source', collect)
    .option(
      '--allow-loss <key>',
      'allow a load to lose features, field values or attachments, or a resource to lose references',
      collect,
    )
    .option('--adopt', 'take resources over from other manifests')
    .option('--take <key>', 'set fields of a resource that another manifest sets, too', collect)
    .option('--send-secrets <key>', 'send the secrets of a resource again', collect)
}

/** Lists the options of `allowanceOptions` that are given, as they are written. */
export function listAllowances(options: Readonly<Record<string, unknown>>): string[] {
  return allowanceOptions(new Command()).options.flatMap((option) =>
    options[option.attributeName()] === undefined ? [] : (option.long ?? []),
  )
}

/** Parses a positive number of seconds. */
export function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (!Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError('Use a positive number of seconds.')
  return seconds
}

/** Parses `10` or `10%` into 0.1. */
export function parsePercent(text: string): number {
  const percent = Number(text.replace(/%$/, ''))
  if (!Number.isFinite(percent) || percent < 0 || percent > 100)
    throw new InvalidArgumentError('Use a percentage from 0 to 100.')
  return percent / 100
}

/** Parses a positive integer. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('Use a positive integer.')
  return count
}

/** Parses a box in degrees: west,south,east,north. */
export function parseBox(text: string): Bbox {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN, ...more] = text
    .split(',')
    .map(Number)
  const isBox = [west, south, east, north].every(Number.isFinite) && more.length === 0
  if (!isBox || south > north || Math.max(-south, north) > 90 || Math.max(-west, west, -east, east) > 360)
    throw new InvalidArgumentError('Use four numbers in degrees: west,south,east,north.')
  if (west > east)
    throw new InvalidArgumentError(
      'West must be less than east; split a box that crosses the antimeridian in two.',
    )
  return [west, south, east, north]
}
