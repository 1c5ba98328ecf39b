import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { variableExpression } from '../../src/document/format_yaml.ts'
import { parseYaml } from '../../src/document/parse_yaml.ts'
import { type Node, toValue } from '../../src/document/yaml_node.ts'
import { findBlockPointer, formatManifest, type WrittenManifest } from '../../src/manifest/rewrite.ts'
import { fixtures } from '../support/fixtures.ts'

const world = readFileSync(`${fixtures}/../../manifests/world.yaml`, 'utf8')
const readManifest = (text: string) =>
  toValue(parseYaml('f', text).documents[0]?.root as Node) as WrittenManifest

describe('formatManifest', () => {
  it('formats the example as it is written by hand', () => {
    const [head] = world.split('\n')
    const withoutComments = world.replaceAll(/^ *#.*\n/gm, '')
    const schema = head?.split('$schema=')[1] ?? ''
    expect(formatManifest(readManifest(world), { schema })).toBe(`${head}\n${withoutComments}`)
  })

  it('writes fields in the order of the contract', () => {
    const text = formatManifest({
      manifest: 'm',
      resources: {
        db: {
          children: {},
          geodb_connection: { password: variableExpression('PW'), database: 'gis', hostname: 'h ${x}' },
          extra: 1,
          permissions: [{ propagate: true, principal: 'guest', action: 'allow', permission: '', scope: '' }],
          display_name: 'yes',
          cls: 'geodb_connection',
        },
      },
    })
    expect(text).toBe(`manifest: m

resources:
  db:
    cls: geodb_connection
    display_name: "yes"
    permissions:
      - { action: allow, principal: guest, scope: "", permission: "", propagate: true }
    geodb_connection:
      hostname: h $\${x}
      database: gis
      password: \${env.PW}
    extra: 1
`)
  })
})

describe('findBlockPointer', () => {
  it('finds a block by its key, at any depth', () => {
    const value = readManifest(world)
    expect(findBlockPointer(value, 'cities_style')).toBe(
      '/resources/root/children/world/children/cities/children/cities_style',
    )
    expect(findBlockPointer(value, 'root')).toBe('/resources/root')
    expect(findBlockPointer(value, 'nothing')).toBeUndefined()
  })
})
