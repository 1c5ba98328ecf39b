import { problem } from '../../contract/problems.ts'

/** Positions of the symbols to draw, by resource. */
export type SymbolChoice = ReadonlyMap<number, ReadonlySet<number>>

/** Conditions that features have to meet to be drawn, as JSON, by resource. */
export type FilterChoice = ReadonlyMap<number, string>

/** What is drawn of resources, apart from their styles. */
export interface DrawChoice {
  readonly symbols: SymbolChoice
  readonly filters: FilterChoice
}

/** Draws everything. */
export const wholeChoice: DrawChoice = { symbols: new Map(), filters: new Map() }

/** Reports whether everything is drawn. */
export function isWhole({ symbols, filters }: DrawChoice): boolean {
  return symbols.size === 0 && filters.size === 0
}

/**
 * Reads which symbols and features of resources are drawn: parameters `symbols[7]` and `filter[7]`.
 *
 * @throws {Problem} request/invalid
 */
export function readDrawChoice(parameters: readonly (readonly [name: string, value: string])[]): DrawChoice {
  return { symbols: readSymbolChoice(parameters), filters: readFilterChoice(parameters) }
}

function readFilterChoice(parameters: readonly (readonly [name: string, value: string])[]): FilterChoice {
  return new Map(
    parameters.flatMap(([name, value]) => {
      const id = /^filter\[(\d{1,10})\]$/.exec(name)?.[1]
      return id === undefined ? [] : [[Number(id), value] as const]
    }),
  )
}

/** Highest position that can be chosen. */
const maxIndex = 999

/**
 * Reads which symbols of styles are drawn from parameters such as `symbols[7]=0-3,5`: ascending positions and ranges of
 * positions in the legend. An empty list draws none.
 *
 * @throws {Problem} request/invalid
 */
function readSymbolChoice(parameters: readonly (readonly [name: string, value: string])[]): SymbolChoice {
  const choice = new Map<number, ReadonlySet<number>>()
  for (const [name, value] of parameters) {
    const id = /^symbols\[(\d{1,10})\]$/.exec(name)?.[1]
    if (id !== undefined) choice.set(Number(id), readRanges(name, value))
  }
  return choice
}

function readRanges(name: string, text: string): Set<number> {
  const indexes = new Set<number>()
  let last = -1
  for (const range of text === '' ? [] : text.split(',')) {
    const [, first, end] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(range.trim()) ?? []
    if (first === undefined) throw refuse(name, text)
    const [from, to] = [Number(first), Number(end ?? first)]
    if (from <= last || to < from) throw refuse(name, text)
    for (let index = from; index <= to; index += 1) indexes.add(index)
    last = to
  }
  return indexes
}

function refuse(name: string, text: string) {
  return problem(
    'request/invalid',
    `${name}: expected ascending positions from 0 to ${maxIndex} such as 0-3,5, got ${JSON.stringify(text)}.`,
    { data: { location: ['query', name] } },
  )
}
