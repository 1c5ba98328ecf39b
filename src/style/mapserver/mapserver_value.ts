import { type Color, colorOf, findColor } from '../color.ts'
import {
  type ElementContext,
  fail,
  parseNumber,
  quoteShort,
  readValue,
  reportAttributes,
  warn,
} from '../xml/element_reader.ts'

/** Reads a colour, as channels or as text; undefined if there is none, with an issue if it is invalid. */
export function readColor(context: ElementContext): Color | undefined {
  const { element } = context
  const channels = ['red', 'green', 'blue'].map((name) => readChannel(context, name))
  if (channels.every((channel) => channel === undefined) && !hasChannels(context))
    return readColorText(context)
  reportAttributes(context, ['red', 'green', 'blue'])
  const [red, green, blue] = channels
  if (red === undefined || green === undefined || blue === undefined) return undefined
  // MapServer writes "no colour" as -1 in all three channels.
  if (red < 0 || green < 0 || blue < 0) return undefined
  if (element.text !== '')
    warn(context, element.span, { message: `ignored text in <${element.name}>: ${quoteShort(element.text)}` })
  return colorOf([red, green, blue])
}

const hasChannels = ({ element }: ElementContext) =>
  element.attributes.some(({ name }) => name === 'red' || name === 'green' || name === 'blue')

function readChannel(context: ElementContext, name: string): number | undefined {
  const { element } = context
  const attribute = element.attributes.find((one) => one.name === name)
  if (attribute === undefined) {
    if (hasChannels(context)) fail(context, element.span, `<${element.name}> has no ${name}`)
    return undefined
  }
  const value = parseNumber(attribute.value.trim())
  if (value !== undefined && Number.isInteger(value) && value >= -1 && value <= 255) return value
  fail(
    context,
    attribute.span,
    `${name}: expected an integer from 0 to 255, got ${quoteShort(attribute.value)}`,
  )
  return undefined
}

function readColorText(context: ElementContext): Color | undefined {
  const text = readValue(context)
  const color = text === undefined ? undefined : findColor(text)
  if (text !== undefined && color === undefined) {
    fail(
      context,
      context.element.span,
      `${quoteShort(text)} is not a colour: write red, green and blue, or #rrggbb`,
    )
  }
  return color
}

/** Reads one of some words. */
export function readWord<const T extends string>(
  context: ElementContext,
  words: readonly T[],
): T | undefined {
  const text = readValue(context)
  if (text === undefined) return undefined
  const word = words.find((one) => one === text.toLowerCase())
  if (word !== undefined) return word
  const { name, span } = context.element
  return void fail(context, span, `<${name}>: expected ${words.join(', ')}, got ${quoteShort(text)}`)
}

/** Reads two numbers, as attributes `x` and `y` or as text. */
export function readPair(context: ElementContext): readonly [number, number] | undefined {
  const { element } = context
  const attributes = ['x', 'y'].map((name) => element.attributes.find((one) => one.name === name)?.value)
  const isText = attributes.every((value) => value === undefined)
  if (!isText) reportAttributes(context, ['x', 'y'])
  const parts = isText ? (readValue(context) ?? '').split(/[\s,]+/) : attributes
  const [x, y] = parts.map((part) => parseNumber((part ?? '').trim()))
  const isValid =
    parts.length === 2 && [x, y].every((value) => value !== undefined && Math.abs(value) <= 1000)
  if (isValid && x !== undefined && y !== undefined) return [x, y]
  return void fail(context, element.span, `<${element.name}>: expected two numbers up to 1000, x and y`)
}

/** Returns an object with a property, unless its value is undefined. */
export function part<K extends string, const V>(name: K, value: V | undefined): { [N in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [N in K]?: V }
}

/** Returns the stricter of two limits. */
export function narrower(
  choose: (a: number, b: number) => number,
  a: number | undefined,
  b: number | undefined,
): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : choose(a, b)
}
