import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { loadOptions } from '../../contract/classes/vector_layer.ts'
import { nameEncoding } from '../../transfer/source_encoding.ts'

/** Schema of a load option. */
interface Member {
  readonly type?: string
  readonly enum?: readonly (string | null)[]
  readonly anyOf?: readonly Member[]
  readonly description?: string
}

type Reader = (text: string) => unknown

/** Declares an option for every load option of the class: `--skip-errors` for `skip_errors`. */
export function declareLoadOptions(command: Command): Command {
  for (const [name, schema] of Object.entries(loadOptions))
    command.addOption(optionOf(name, schema as Member))
  return command
}

/** Reads the load options, as members of the class. */
export function readLoadOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const reading: Record<string, unknown> = {}
  for (const name of Object.keys(loadOptions)) {
    const value = options[camelOf(name)]
    if (value !== undefined) reading[name] = value
  }
  // --fid-field implies ids from that field.
  if (reading.fid_field !== undefined) reading.fid_source ??= 'FIELD'
  return reading
}

function optionOf(name: string, member: Member): Option {
  const flag = `--${name.replaceAll('_', '-')}`
  const description = describe(member)
  const words = wordsOf(member)
  if (words.length > 0)
    return new Option(`${flag} <${words.join('|')}>`, description).argParser(readWord(words))
  if (typesOf(member).includes('boolean'))
    return member.type === 'boolean' && member.anyOf === undefined
      ? new Option(flag, description)
      : new Option(`${flag} <yes|no>`, description).argParser(readYes)
  return new Option(`${flag} <name>`, description)
}

function describe({ description = '' }: Member): string {
  const text = nameFlags(description.replace(/\.$/, '').replace(/; null detects it$/, ' (default: detected)'))
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Replaces members of the class in a text by the corresponding options. */
export function nameFlags(text: string): string {
  const named = text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) =>
    Object.hasOwn(loadOptions, word) ? `--${word.replaceAll('_', '-')}` : word,
  )
  return nameEncoding(named, '--encoding')
}

const variants = (member: Member): readonly Member[] => [member, ...(member.anyOf ?? [])]

const typesOf = (member: Member) => variants(member).flatMap(({ type }) => type ?? [])

const wordsOf = (member: Member) =>
  variants(member).flatMap((variant) => (variant.enum ?? []).filter((word) => word !== null))

function readWord(words: readonly string[]): Reader {
  return (text) => {
    const found = words.find((word) => word.toLowerCase() === text.toLowerCase())
    if (found === undefined) throw new InvalidArgumentError(`Use one of ${words.join(', ')}.`)
    return found
  }
}

const readYes: Reader = (text) => {
  const found = /^(?:(yes|true|1)|no|false|0)$/i.exec(text)
  if (found === null) throw new InvalidArgumentError('Use yes or no.')
  return found[1] !== undefined
}

const camelOf = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
