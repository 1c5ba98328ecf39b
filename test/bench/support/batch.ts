/**
 * Gives the operations of a batch that makes `groups` groups with 99 resources each: 45 layers with a style each, and 9
 * web maps of ten layers. Two rules on each group let a user read what is in it, one on the root lets him get there.
 */
export function batchOperations(
  groups: number,
  { userId, rootRules }: { readonly userId: number; readonly rootRules: readonly object[] },
): object[] {
  const rule = (permission: string, propagate: boolean, scope = 'resource') => ({
    action: 'allow',
    principal: { id: userId },
    identity: '',
    scope,
    permission,
    propagate,
  })
  const top = {
    cls: 'resource_group',
    parent: { id: 0 },
    display_name: 'Batch',
    permissions: [rule('read', false)],
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
  return [
    { op: 'create', name: 'top', body: { resource: top } },
    ...numbers(groups).flatMap((at) =>
      groupOperations(`g${at}`, [rule('read', true), rule('read', true, 'data')]),
    ),
    { op: 'update', id: 0, body: { resource: { permissions: [...rootRules, rule('read', false)] } } },
  ]

  function groupOperations(key: string, permissions: object[]): object[] {
    const create = ([cls, name]: readonly [string, string], parent: string, more: object = {}) => ({
      op: 'create',
      name,
      body: { resource: { cls, parent: { id: parent }, display_name: name }, ...more },
    })
    const made = create(['resource_group', key], 'top')
    const group = { ...made, body: { resource: { ...made.body.resource, permissions } } }
    return [
      group,
      ...numbers(45).flatMap((at) => [
        create(['vector_layer', `${key}_layer${at}`], key, layer),
        create(['mapsrv_style', `${key}_style${at}`], `${key}_layer${at}`, style),
      ]),
      ...numbers(9).map((at) =>
        create(['webmap', `${key}_map${at}`], key, {
          webmap: {
            root_item: {
              item_type: 'root',
              children: numbers(10).map((layerAt) => ({
                item_type: 'layer',
                display_name: `L${layerAt}`,
                layer_style_id: `${key}_style${(at * 4 + layerAt) % 45}`,
              })),
            },
          },
        }),
      ),
    ]
  }
}

const layer = {
  resmeta: { items: { source: 'survey', year: 2021 } },
  vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
  feature_layer: {
    fields: [
      { keyname: 'name', datatype: 'STRING', display_name: 'Name' },
      { keyname: 'count', datatype: 'INTEGER' },
      { keyname: 'day', datatype: 'DATE' },
    ],
  },
}

const style = {
  mapsrv_style: {
    xml: '<map><layer><class><style><color red="1" green="2" blue="3"/></style></class></layer></map>',
  },
}
