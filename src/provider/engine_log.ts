import { credentials } from '@grpc/grpc-js'
import grpc from '@pulumi/pulumi/proto/engine_grpc_pb.js'
import pb from '@pulumi/pulumi/proto/engine_pb.js'

/** Shows a warning about a resource in the output of Pulumi. Never fails. */
export type Warn = (message: string, urn: string) => void

/** Connects to the log of an engine. */
export function openEngineLog(address: string): { readonly warn: Warn; readonly close: () => void } {
  const client = new grpc.EngineClient(address, credentials.createInsecure())
  const warn: Warn = (message, urn) => {
    const request = new pb.LogRequest().setSeverity(pb.LogSeverity.WARNING).setMessage(message).setUrn(urn)
    // A lost warning must not fail the update.
    client.log(request, () => undefined)
  }
  return { warn, close: () => client.close() }
}
