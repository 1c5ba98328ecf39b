import { isDeepStrictEqual } from 'node:util'
import {
  type handleUnaryCall,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import plugin from '@pulumi/pulumi/proto/plugin_pb.js'
import grpc, { type IResourceProviderServer } from '@pulumi/pulumi/proto/provider_grpc_pb.js'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import type struct from 'google-protobuf/google/protobuf/struct_pb.js'
import { problems } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import type { PropertyChange } from './compare_inputs.ts'
import type { EngineLog, Warn } from './engine_log.ts'
import { InitFailure, initError } from './init_failure.ts'
import { type Properties, readProperties, unknownValue, writeProperties } from './property_values.ts'
import type { LandformProvider } from './provider.ts'
import { providerSchema } from './provider_schema.ts'
import { encodeAnswer, type ReadAnswer, ReadCall } from './read_wire.ts'
import type { InputFault } from './resource_manifest.ts'
import { redactSecrets } from './resource_secrets.ts'

/** Functions of the protocol; a read has messages of its own. */
type Service = Partial<Omit<IResourceProviderServer, 'read'>> & {
  readonly read: handleUnaryCall<ReadCall, ReadAnswer>
}

/** Defines the gRPC service of a provider. */
export const serviceDefinition = {
  ...grpc.ResourceProviderService,
  read: {
    ...grpc.ResourceProviderService.read,
    requestDeserialize: (bytes: Buffer) => new ReadCall(bytes),
    responseSerialize: encodeAnswer,
  },
}

/** Makes the gRPC service of a provider. */
export function createService(provider: LandformProvider, log: EngineLog): Service {
  return { ...configCalls(provider), ...otherCalls(provider, log), ...resourceCalls(provider, log.warn) }
}

function configCalls(provider: LandformProvider): Partial<IResourceProviderServer> {
  const { place } = provider
  return {
    // The directories of a handshake are those of the provider: the program is where the provider is started.
    handshake: unary(async () =>
      new pb.ProviderHandshakeResponse().setAcceptSecrets(true).setAcceptOutputs(true),
    ),
    getPluginInfo: unary(async () => new plugin.PluginInfo().setVersion(place.version)),
    getSchema: unary(async () =>
      new pb.GetSchemaResponse().setSchema(JSON.stringify(providerSchema(place.version))),
    ),
    checkConfig: unary(async (request: pb.CheckRequest) =>
      new pb.CheckResponse()
        .setInputs(request.getNews())
        .setFailuresList(failuresOf(await provider.checkConfig(readProperties(request.getNews())))),
    ),
    diffConfig: unary(async (request: pb.DiffRequest) => diffConfig(request)),
    configure: unary(async (request: pb.ConfigureRequest) => {
      await provider.configure(readProperties(request.getArgs()))
      return new pb.ConfigureResponse()
        .setAcceptsecrets(true)
        .setSupportspreview(true)
        .setAcceptoutputs(true)
        .setSupportsAutonamingConfiguration(true)
    }),
  }
}

// Another server has other resources: the provider and its resources are replaced, once the server is known.
function diffConfig(request: pb.DiffRequest): pb.DiffResponse {
  const olds = readProperties(request.getOldInputs() ?? request.getOlds()).values
  const news = readProperties(request.getNews()).values
  const names = [...new Set([...Object.keys(olds), ...Object.keys(news)])]
  const changed = names.filter((name) => !isDeepStrictEqual(olds[name], news[name]))
  const isReplaced = (path: string) =>
    (path === 'server' || path === 'manifest') && news[path] !== unknownValue
  return diffResponse(changed.map((path) => ({ path, kind: 'update', replaces: isReplaced(path) })))
}

function resourceCalls(provider: LandformProvider, warn: Warn): Service {
  return {
    check: unary((request: pb.CheckRequest) => check(provider, request, warn)),
    diff: unary(async (request: pb.DiffRequest) => {
      const changes = provider.diff(request.getUrn(), {
        id: request.getId(),
        olds: readProperties(request.getOldInputs() ?? request.getOlds()),
        news: readProperties(request.getNews()),
        ignored: request.getIgnorechangesList(),
      })
      return diffResponse(changes)
    }),
    create: unary((request: pb.CreateRequest) => create(provider, request, warn)),
    update: unary((request: pb.UpdateRequest) => update(provider, request, warn)),
    read: unary((call: ReadCall) => read(provider, call)),
    delete: unary(async (request: pb.DeleteRequest) => {
      const urn = request.getUrn()
      for (const warning of await provider.delete(urn, request.getId())) warn(warning, urn)
      return new empty.Empty()
    }),
  }
}

async function check(
  provider: LandformProvider,
  request: pb.CheckRequest,
  warn: Warn,
): Promise<pb.CheckResponse> {
  const urn = request.getUrn()
  const news = readProperties(request.getNews())
  const hide = redactSecrets(news)
  const naming = namingOf(request.getAutonaming())
  const olds = readProperties(request.getOlds()).values
  const { values, secrets, faults, warnings } = await provider.check(urn, {
    news,
    olds,
    ...(naming === undefined ? {} : { naming }),
  })
  for (const { property, reason } of warnings) warn(hide(`${property}: ${reason}`), urn)
  return new pb.CheckResponse()
    .setInputs(writeProperties(values, secrets))
    .setFailuresList(failuresOf(faults.map((fault) => ({ ...fault, reason: hide(fault.reason) }))))
}

function namingOf(options: pb.CheckRequest.AutonamingOptions | undefined) {
  if (options === undefined) return undefined
  const isDisabled = options.getMode() === pb.CheckRequest.AutonamingOptions.Mode.DISABLE
  return isDisabled ? 'required' : { proposed: options.getProposedName() }
}

async function create(
  provider: LandformProvider,
  request: pb.CreateRequest,
  warn: Warn,
): Promise<pb.CreateResponse> {
  const urn = request.getUrn()
  const inputs = readProperties(request.getProperties())
  if (request.getPreview()) {
    const { values, secrets } = await provider.preview(urn, inputs)
    return new pb.CreateResponse().setProperties(writeProperties(values, secrets))
  }
  const hide = redactSecrets(inputs)
  const { id, values, secrets, warnings } = await provider.write(urn, inputs)
  for (const warning of warnings) warn(hide(warning), urn)
  return new pb.CreateResponse().setId(id).setProperties(writeProperties(values, secrets))
}

async function update(
  provider: LandformProvider,
  request: pb.UpdateRequest,
  warn: Warn,
): Promise<pb.UpdateResponse> {
  const urn = request.getUrn()
  const inputs = readProperties(request.getNews())
  const old = {
    id: request.getId(),
    inputs: readProperties(request.getOldInputs() ?? request.getOlds()),
  }
  if (request.getPreview()) {
    const { values, secrets } = await provider.preview(urn, inputs, old)
    return new pb.UpdateResponse().setProperties(writeProperties(values, secrets))
  }
  const hide = redactSecrets(inputs)
  const { values, secrets, warnings } = await provider.write(urn, inputs, old)
  for (const warning of warnings) warn(hide(warning), urn)
  return new pb.UpdateResponse().setProperties(writeProperties(values, secrets))
}

async function read(provider: LandformProvider, call: ReadCall): Promise<ReadAnswer> {
  const inputs = call.readInputs()
  const found = await provider.read(call.urn, call.id, {
    inputs,
    // Most resources do not need them.
    readOutputs: () => call.readOutputs().values,
  })
  if (found === undefined) return {}
  const { id, values, outputs, secrets } = found
  const isSame = values === inputs.values && secrets.every((one) => inputs.secrets.includes(one))
  if (isSame) {
    const own = Object.entries(outputs).filter(([name]) => !Object.hasOwn(values, name))
    return call.answerUnchanged(id, Object.fromEntries(own))
  }
  return {
    id,
    inputs: writeProperties(values, secrets).serializeBinary(),
    properties: writeProperties(outputs, secrets).serializeBinary(),
  }
}

function otherCalls(provider: LandformProvider, log: EngineLog): Partial<IResourceProviderServer> {
  return {
    list: (call) => void list(provider, call),
    invoke: unary(async (request: pb.InvokeRequest) => {
      const found = await provider.invoke(request.getTok(), readProperties(request.getArgs()))
      return new pb.InvokeResponse().setReturn(writeProperties(found))
    }),
    getMapping: unary(async () => new pb.GetMappingResponse()),
    getMappings: unary(async () => new pb.GetMappingsResponse()),
    // A provider that was started by hand, to debug it, learns here where its engine is.
    attach: unary(async (request: plugin.PluginAttach) => {
      log.connect(request.getAddress())
      return new empty.Empty()
    }),
    cancel: unary(async () => {
      provider.cancel()
      return new empty.Empty()
    }),
  }
}

async function list(
  provider: LandformProvider,
  call: ServerWritableStream<pb.ListRequest, pb.ListResponse>,
): Promise<void> {
  try {
    const found = await provider.list(call.request.getToken())
    const limit = call.request.getLimit() || found.length
    for (const { id, name } of found.slice(0, limit)) {
      const result = new pb.ListResponse.Result().setId(String(id)).setName(name)
      call.write(new pb.ListResponse().setResult(result))
    }
    call.end()
  } catch (error) {
    // A stream that is destroyed never sends its status.
    call.emit('error', serviceError(error, hideSecretsOf(call.request)))
  }
}

function diffResponse(changes: readonly PropertyChange[]): pb.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = pb.DiffResponse.DiffChanges
  const replaces = changes.filter((change) => change.replaces).map(({ path }) => path)
  const response = new pb.DiffResponse()
    .setChanges(changes.length === 0 ? DIFF_NONE : DIFF_SOME)
    .setDiffsList([...new Set(changes.map(({ path }) => path.split(/[.[]/)[0] ?? path))])
    .setReplacesList(replaces)
    // A key belongs to one resource at a time.
    .setDeletebeforereplace(true)
    .setStablesList(['resource_id'])
    .setHasdetaileddiff(true)
  for (const change of changes)
    response
      .getDetaileddiffMap()
      .set(change.path, new pb.PropertyDiff().setKind(kindOf(change)).setInputdiff(true))
  return response
}

function kindOf({ kind, replaces }: PropertyChange): pb.PropertyDiff.Kind {
  const kinds = pb.PropertyDiff.Kind
  const inPlace = { add: kinds.ADD, update: kinds.UPDATE, delete: kinds.DELETE }
  const replacing = { add: kinds.ADD_REPLACE, update: kinds.UPDATE_REPLACE, delete: kinds.DELETE_REPLACE }
  return (replaces ? replacing : inPlace)[kind]
}

function failuresOf(faults: readonly InputFault[]): pb.CheckFailure[] {
  return faults.map(({ property, reason }) => new pb.CheckFailure().setProperty(property).setReason(reason))
}

/** Adapts a function to the interface of gRPC. Errors do not repeat the secrets of their request. */
function unary<Q extends object, A>(work: (request: Q) => Promise<A>) {
  return (call: ServerUnaryCall<Q, A>, answer: sendUnaryData<A>) => {
    work(call.request).then(
      (value) => answer(null, value),
      (error: unknown) => answer(serviceError(error, hideSecretsOf(call.request))),
    )
  }
}

/** Properties that requests carry. */
const carriers = ['getNews', 'getOlds', 'getOldInputs', 'getProperties', 'getInputs', 'getArgs'] as const

type Carrier = { readonly [name in (typeof carriers)[number]]?: () => struct.Struct | undefined }

function readCarried(request: object): Properties[] {
  if (request instanceof ReadCall) return [request.readInputs(), request.readOutputs()]
  const carrier: Carrier = request
  return carriers.map((name) => readProperties(carrier[name]?.()))
}

function hideSecretsOf(request: object): (text: string) => string {
  const hides = readCarried(request).map(redactSecrets)
  return (text) => hides.reduce((rest, hide) => hide(rest), text)
}

function serviceError(
  error: unknown,
  hide: (text: string) => string,
): { readonly code: status; readonly message: string } {
  if (error instanceof InitFailure) return initError(new InitFailure(hide(error.message), error.made))
  if (!isProblem(error)) return { code: status.INTERNAL, message: hide(String(error)) }
  const { code, message, hint } = error
  // The advice for command lines helps nobody here.
  const text =
    hint === undefined || hint === problems['usage/bad-argument'].advice ? message : `${message} ${hint}`
  return { code: statusOf(code, error.status), message: `${hide(text)} [${code}]` }
}

function statusOf(code: string, httpStatus: number | undefined): status {
  if (code === 'usage/bad-argument') return status.INVALID_ARGUMENT
  if (code.startsWith('http/') || httpStatus === 503) return status.UNAVAILABLE
  if (httpStatus === 401) return status.UNAUTHENTICATED
  if (httpStatus === 403) return status.PERMISSION_DENIED
  if (httpStatus === 404) return status.NOT_FOUND
  return status.FAILED_PRECONDITION
}
