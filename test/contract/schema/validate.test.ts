import { describe, expect, it } from 'vitest'
import { bodySchema } from '../../../src/contract/bodies/bodies.ts'
import { createValidatorCompiler } from '../../../src/contract/schema/validate.ts'

const all = createValidatorCompiler({ faults: 'all' })
const style = { item_type: 'layer', display_name: 'L', layer_style_id: 7 }
const resource = { cls: 'webmap', display_name: 'Map', parent: { id: 0 } }
const webmap = (children: unknown[], rest = {}) => ({
  resource,
  webmap: { root_item: { item_type: 'root', children }, ...rest },
})

describe('a validator', () => {
  const check = all(bodySchema('webmap', 'create'))

  it('accepts valid values, including unknown members', () => {
    expect(check(webmap([style], { novelty: 1 }))).toEqual([])
  })

  it('reports the value and the location, at any depth', () => {
    const group = { item_type: 'group', display_name: 'G', children: [{ ...style, layer_style_id: 'roads' }] }
    expect(check(webmap([style, group]))).toEqual([
      {
        kind: 'bad-value',
        pointer: '/webmap/root_item/children/1/children/0/layer_style_id',
        message: 'expected an integer, got "roads"',
      },
    ])
  })

  it('reports once that a value matches no branch of a union', () => {
    expect(check(webmap([], { extent_left: 'west' }))).toEqual([
      { kind: 'bad-value', pointer: '/webmap/extent_left', message: 'expected a number or null, got "west"' },
    ])
  })

  it('suggests the intended word', () => {
    expect(check(webmap([{ ...style, layer_adapter: 'tiles' }]))).toEqual([
      {
        kind: 'bad-value',
        pointer: '/webmap/root_item/children/0/layer_adapter',
        message: 'expected one of "image", "tile", got "tiles"',
        hint: 'did you mean "tile"?',
      },
    ])
  })

  it('reports once that a number is not one of the strings, and suggests a similar one', () => {
    expect(all({ type: 'string', enum: ['1.1.1', '1.3.0'] })(1.3)).toEqual([
      {
        kind: 'bad-value',
        pointer: '',
        message: 'expected one of "1.1.1", "1.3.0", got 1.3',
        hint: 'write "1.3.0"',
      },
    ])
  })

  it('uses the singular for one item', () => {
    expect(all({ type: 'array', minItems: 1 })([])[0]?.message).toBe('expected at least 1 item')
  })

  it('reports an unknown type of item', () => {
    expect(check(webmap([{ ...style, item_type: 'folder' }])).map((fault) => fault.message)).toEqual([
      'unknown item_type "folder"',
    ])
  })

  it('reports every fault of a file', () => {
    const faults = check({ resource: { cls: 7 }, webmap: { extent_top: 91 } })
    expect(faults.map((fault) => fault.message).sort()).toEqual([
      '91 is more than 90',
      'expected a string, got 7',
      'missing field "display_name"',
    ])
  })

  it('stops at the first fault of a request', () => {
    const first = createValidatorCompiler({ faults: 'first' })(bodySchema('webmap', 'create'))
    expect(first({ resource: { cls: 7 }, webmap: { extent_top: 91 } })).toHaveLength(1)
  })

  it('rejects unknown fields if the schema is closed', () => {
    const closed = all({
      type: 'object',
      additionalProperties: false,
      properties: { width: { type: 'number' } },
    })
    expect(closed({ widht: 1 })).toEqual([
      {
        kind: 'unknown-field',
        pointer: '/widht',
        message: 'unknown field "widht"',
        hint: 'did you mean "width"?',
      },
    ])
  })
})

describe('values in messages', () => {
  it('are replaced by the function of the caller', () => {
    const check = all({ type: 'object', properties: { port: { type: 'integer' } } })
    const faults = check({ port: 'hunter2' }, (pointer, part) => (pointer === '/port' ? '${env.PORT}' : part))
    expect(faults.map(({ message }) => message)).toEqual(['expected an integer, got "${env.PORT}"'])
  })

  it('suggest true or false for the booleans of YAML 1.1', () => {
    expect(all({ type: 'boolean' })('yes')[0]?.hint).toBe('write true')
    expect(all({ type: 'boolean' })('false')[0]?.hint).toBe('write false')
  })
})

describe('a fault of a value with many parts', () => {
  const first = createValidatorCompiler({ faults: 'first' })
  const watched = <T extends object>(value: T, seen: Set<string | symbol>) =>
    new Proxy(value, {
      get: (target, name) => {
        seen.add(name)
        return Reflect.get(target, name)
      },
      ownKeys: (target) => {
        seen.add('keys')
        return Reflect.ownKeys(target)
      },
    })

  it('states the length of a list without listing its items', () => {
    const seen = new Set<string | symbol>()
    const faults = first({ type: 'array', maxItems: 2 })(watched([1, 2, 3], seen))
    expect(faults).toMatchObject([{ message: 'the list has 3 items; the limit is 2' }])
    expect([...seen]).toEqual(['length'])
  })

  it('reads only the parts that the message shows', () => {
    const seen = new Set<string | symbol>()
    const list = watched(Array(10_000).fill({ a: [1] }), seen)
    expect(first({ type: 'string' })(list)).toMatchObject([
      { message: `expected a string, got ${'[{"a":[1]},{"a":[1]},{"a":[1]},{"a":[1]},{"a":[1]},{"a":[...'}` },
    ])
    expect(seen.size).toBeLessThan(100)
  })

  it('counts characters, not parts of them', () => {
    const faults = first({ type: 'string', maxLength: 2 })('\u{1F30D}ab')
    expect(faults).toMatchObject([{ message: 'the string has 3 characters; the limit is 2' }])
  })
})
