/**
 * Writes a manifest of `groups` groups with 99 resources each: 45 layers with a style each, and 9 web maps of ten
 * layers. The layers of a group differ in colour, as in every group.
 */
export function writeTree(id: string, groups: number): string {
  const lines = [
    `manifest: ${id}`,
    'resources:',
    '  root:',
    '    existing: true',
    '    id: 0',
    '    children:',
    `      ${id}:`,
    '        cls: resource_group',
    `        display_name: ${id}`,
    '        children:',
  ]
  for (let group = 0; group < groups; group += 1) lines.push(...writeGroup(`${id}_${group}`))
  return `${lines.join('\n')}\n`
}

/** Writes a file of a manifest with 20 resources: a group of nine layers with a style each, and a web map of them. */
export function writePart(id: string, key: string): string {
  const layers = Array.from({ length: 9 }, (_, at) => at)
  const blocks = [...layers.flatMap((at) => writeLayer(key, at)), ...writeMap(key, 0, 9)]
  return [
    `manifest: ${id}`,
    'resources:',
    ...(key === 'part0' ? ['  root: { existing: true, id: 0 }'] : []),
    `  ${key}:`,
    '    cls: resource_group',
    `    display_name: ${key}`,
    '    parent: root',
    '    children:',
    // Blocks are written for groups of a deeper tree.
    ...blocks.map((line) => line.slice(8)),
    '',
  ].join('\n')
}

function writeGroup(key: string): string[] {
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
  return [
    `          ${key}:`,
    '            cls: resource_group',
    `            display_name: ${key}`,
    '            permissions:',
    '              - { action: allow, principal: guest, scope: resource, permission: read, propagate: true }',
    '            children:',
    ...numbers(45).flatMap((at) => writeLayer(key, at)),
    ...numbers(9).flatMap((at) => writeMap(key, at)),
  ]
}

function writeLayer(key: string, at: number): string[] {
  const style = `<map><layer><class><style><color red="${at}" green="2" blue="3"/></style></class></layer></map>`
  return [
    `              ${key}_layer${at}:`,
    '                cls: vector_layer',
    `                display_name: Layer ${at}`,
    '                resmeta: { source: survey, year: 2021 }',
    '                vector_layer: { srs: { id: 3857 }, geometry_type: POINT }',
    '                feature_layer:',
    '                  fields:',
    '                    - { keyname: name, datatype: STRING, display_name: Name }',
    '                    - { keyname: count, datatype: INTEGER }',
    '                    - { keyname: day, datatype: DATE }',
    '                children:',
    `                  ${key}_style${at}:`,
    '                    cls: mapsrv_style',
    `                    display_name: Style ${at}`,
    `                    mapsrv_style: { xml: '${style}' }`,
  ]
}

function writeMap(key: string, at: number, count = 45): string[] {
  const layers = Array.from({ length: Math.min(count, 10) }, (_, layer) => (at * 4 + layer) % count)
  return [
    `              ${key}_map${at}:`,
    '                cls: webmap',
    `                display_name: Map ${at}`,
    '                webmap:',
    '                  root_item:',
    '                    item_type: root',
    '                    children:',
    ...layers.map(
      (layer) =>
        `                      - { item_type: layer, display_name: L${layer}, layer_style_id: ${key}_style${layer} }`,
    ),
  ]
}
