type Spec = Readonly<Record<string, unknown>>

const token = /^[a-zA-Z][-a-zA-Z0-9_]*:([^0-9][a-zA-Z0-9._/-]*)?:[^0-9][a-zA-Z0-9._/-]*$/
const primitives = ['boolean', 'integer', 'number', 'string']

/** Finds violations of the rules for schemas of Pulumi packages. @see https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/ */
export function checkPackageSchema(schema: Spec): string[] {
  const { types, resources, functions, config, provider } = schema as Record<string, Spec>
  const known = [
    'name',
    'version',
    'displayName',
    'description',
    'license',
    'config',
    'provider',
    'types',
    'resources',
    'functions',
  ]
  return [
    ...Object.keys(schema).flatMap((key) => (known.includes(key) ? [] : [`unknown member ${key}`])),
    ...(/^[a-zA-Z][-a-zA-Z0-9_]*$/.test(String(schema.name)) ? [] : ['bad name']),
    ...(/^\d+\.\d+\.\d+/.test(String(schema.version)) ? [] : ['bad version']),
    ...checkProperties('config', (config?.variables ?? {}) as Spec, schema),
    ...checkResource('provider', provider ?? {}, schema),
    ...[types, resources, functions].flatMap((part) =>
      Object.keys(part ?? {}).flatMap((name) => (token.test(name) ? [] : [`bad token ${name}`])),
    ),
    ...Object.entries(types ?? {}).flatMap(([name, spec]) => checkObject(name, spec as Spec, schema)),
    ...Object.entries(resources ?? {}).flatMap(([name, spec]) => checkResource(name, spec as Spec, schema)),
    ...Object.entries(functions ?? {}).flatMap(([name, spec]) => {
      const { inputs, outputs } = spec as Record<string, Spec>
      return [
        ...checkObject(`${name}.inputs`, inputs ?? {}, schema),
        ...checkObject(`${name}.outputs`, outputs ?? {}, schema),
      ]
    }),
  ]
}

function checkResource(place: string, spec: Spec, schema: Spec): string[] {
  const { inputProperties = {}, requiredInputs = [], properties = {}, required = [] } = spec
  return [
    ...checkProperties(`${place}.inputProperties`, inputProperties as Spec, schema),
    ...checkRequired(place, requiredInputs, inputProperties as Spec),
    ...checkProperties(`${place}.properties`, properties as Spec, schema),
    ...checkRequired(place, required, properties as Spec),
  ]
}

function checkObject(place: string, { type, properties = {}, required = [] }: Spec, schema: Spec): string[] {
  return [
    ...(type === 'object' ? [] : [`${place} is not an object`]),
    ...checkProperties(place, properties as Spec, schema),
    ...checkRequired(place, required, properties as Spec),
  ]
}

function checkRequired(place: string, required: unknown, properties: Spec): string[] {
  return (required as string[]).flatMap((name) =>
    Object.hasOwn(properties, name) ? [] : [`${place} requires ${name}, which it does not have`],
  )
}

function checkProperties(place: string, properties: Spec, schema: Spec): string[] {
  return Object.entries(properties).flatMap(([name, spec]) => {
    const { description, secret, default: value, ...type } = spec as Spec
    const faults = checkType(`${place}.${name}`, type, schema)
    if (description !== undefined && typeof description !== 'string')
      faults.push(`${place}.${name}: description`)
    if (secret !== undefined && typeof secret !== 'boolean') faults.push(`${place}.${name}: secret`)
    if (value !== undefined && typeof value === 'object') faults.push(`${place}.${name}: default`)
    return faults
  })
}

/** Exactly one kind of type, with the members of that kind only. */
function checkType(place: string, spec: Spec, schema: Spec): string[] {
  const { type, items, additionalProperties, oneOf, $ref, ...rest } = spec
  const others = Object.keys(rest)
  if (others.length > 0) return [`${place} has unknown members: ${others.join(', ')}`]
  if ($ref !== undefined) return checkReference(place, String($ref), schema)
  if (Array.isArray(oneOf))
    return oneOf.length < 2
      ? [`${place} is a union of one type`]
      : oneOf.flatMap((one: Spec) => checkType(place, one, schema))
  if (type === 'array')
    return items === undefined ? [`${place} has no items`] : checkType(`${place}[]`, items as Spec, schema)
  if (type === 'object')
    return additionalProperties === undefined
      ? []
      : checkType(`${place}{}`, additionalProperties as Spec, schema)
  return primitives.includes(String(type)) ? [] : [`${place} has no type`]
}

function checkReference(place: string, ref: string, { types }: Spec): string[] {
  if (/^pulumi\.json#\/(?:Any|Asset|Archive|Json)$/.test(ref)) return []
  const name = ref.replace('#/types/', '')
  return Object.hasOwn(types as Spec, name) ? [] : [`${place} refers to ${ref}, which does not exist`]
}
