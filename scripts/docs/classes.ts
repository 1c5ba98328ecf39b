import { ResmetaMember, ResourceMember } from '../../src/contract/bodies/resource.ts'
import { WebmapItemSchema } from '../../src/contract/classes/webmap.ts'
import type { SourceData } from '../../src/contract/descriptor.ts'
import { permissionsOf, scopes } from '../../src/contract/permissions.ts'
import { type Cls, clsNames, dataOf, descriptorOf } from '../../src/contract/registry.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { printFields } from './fields.ts'
import { formatCode, formatCodes, formatTable, joinParts } from './markdown.ts'

/** Prints the page of the classes of resources. */
export function printClasses(): string {
  return joinParts(
    '# Classes of resources',
    'A class is a kind of resource. The fields are those of the HTTP API, `GET /api/resource/{id}`. Manifests use the same names, except for fields marked *API only*; where the API has the id of a resource, a manifest has its key.',
    '*Fixed* fields cannot change in place: apply replaces the resource, and only with `--replace`. *Read* and *write* name the permission that a field requires; without them reading requires `resource.read` and writing `resource.update`.',
    formatTable(
      ['Class', 'Name', 'Meaning'],
      clsNames.map((cls) => [`[\`${cls}\`](#${cls})`, descriptorOf(cls).label, descriptorOf(cls).meaning]),
    ),
    '## All classes',
    'Members of every resource.',
    `### resource\n\n${printFields(ResourceMember as Schema)}`,
    `### resmeta\n\n${printFields(ResmetaMember as Schema)}`,
    clsNames.map(printClass),
    '## Permissions',
    'A permission is effective only if the permission that it requires is effective too. Rules grant or deny one permission, all permissions of a scope, or all permissions; a deny overrides every allow.',
    printPermissions(),
  )
}

function printClass(cls: Cls): string {
  const { meaning, parents, scopes: scopeNames, members, requires: requirement } = descriptorOf(cls)
  const data = dataOf(cls)
  const facts = [
    `- Parents: ${formatCodes(parents)}`,
    `- Permissions: ${formatCodes(permissionsOf(scopeNames))}`,
    ...(requirement === undefined
      ? []
      : [
          `- ${formatCode(requirement.permission)} also requires ${formatCode(requirement.requires)} on the ${requirement.on}`,
        ]),
    ...(data === undefined ? [] : [`- Data: ${describeData(data)}`]),
  ]
  return [
    `## ${cls}`,
    meaning,
    facts.join('\n'),
    ...Object.entries(members).flatMap(([name, schema]) => printMember(name, schema as Schema)),
    ...(cls === 'webmap' ? printItems() : []),
  ].join('\n\n')
}

function printMember(name: string, schema: Schema): string[] {
  return Object.keys(schema.properties ?? {}).length === 0 ? [] : [`### ${name}\n\n${printFields(schema)}`]
}

function describeData({ options, structure }: SourceData): string {
  const names = Object.keys(options)
  const need = structure === undefined ? 'required in a manifest' : 'optional in a manifest'
  return `\`data: { source: FILE }\`, ${need}${names.length === 0 ? '' : `, with the options ${formatCodes(names)}`}`
}

/** Prints the fields of layers and groups in the tree of a web map. */
function printItems(): string[] {
  return ((WebmapItemSchema as Schema).oneOf ?? []).map((item) => {
    const [type] = item.properties?.item_type?.enum ?? []
    return `### Items of root_item: ${type}\n\n${printFields(item)}`
  })
}

function printPermissions(): string {
  const rows = Object.entries(scopes).flatMap(([scope, { permissions }]) =>
    Object.entries<{ label: string; requires?: { permission: string; on: string } }>(permissions).map(
      ([name, { label, requires }]) => [
        formatCode(`${scope}.${name}`),
        label,
        requires === undefined
          ? ''
          : `${formatCode(requires.permission)}${requires.on === 'parent' ? ' on the parent' : ''}`,
      ],
    ),
  )
  return formatTable(['Permission', 'Meaning', 'Requires'], rows)
}
