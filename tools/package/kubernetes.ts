/**
 * The manifests of Bursar for Kubernetes, as values whose types `tsc` checks: a misspelt or missing field does not
 * compile. `npm run generate` prints them to
 * `deploy/kubernetes/bursar.yaml`. The database and the signer are outside the cluster.
 */
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IContainer } from 'kubernetes-models/v1/Container'
import type { INamespace } from 'kubernetes-models/v1/Namespace'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { IService } from 'kubernetes-models/v1/Service'
import type { IServiceAccount } from 'kubernetes-models/v1/ServiceAccount'
import { stringify } from 'yaml'
import { heapFlagsOf } from '../../server/src/platform/process/heap.ts'

const NAMESPACE = 'bursar'
const ROLES = ['worker', 'watcher', 'api'] as const
type Role = (typeof ROLES)[number]
type Login = Role | 'owner'

/** The user and the group of the image, `deploy/docker/bursar.Dockerfile`. */
const USER = 10_001
const PROGRAM = '/usr/lib/bursar/server/src/main.js'
const PORTS = { http: 8_080, inner: 9_090, database: 5_432, signer: 7_443 }
/** Addresses of the example: replace them by the machines of the database and of the signer. */
const DATABASE = '192.0.2.10/32'
const SIGNER = '192.0.2.20/32'

const labelsOf = (part: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'bursar',
  'app.kubernetes.io/component': part,
})

const metadataOf = (part: string) => ({ name: `bursar-${part}`, namespace: NAMESPACE, labels: labelsOf(part) })

const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
} satisfies INamespace

const account = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'bursar', namespace: NAMESPACE },
  automountServiceAccountToken: false,
} satisfies IServiceAccount

/** Settings without secrets. The settings files are the config map `bursar-files`, which is made from a folder. */
const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'bursar-settings', namespace: NAMESPACE },
  data: {
    BURSAR_HTTP: `0.0.0.0:${PORTS.http}`,
    BURSAR_INNER: `0.0.0.0:${PORTS.inner}`,
    BURSAR_PUBLIC_URL: 'https://pay.example.com',
    BURSAR_TRUSTED_PROXIES: '10.0.0.0/8',
    BURSAR_DATA_KEY_FILE: '/run/secrets/shared/data-key',
    BURSAR_NETWORKS_FILE: '/etc/bursar/networks.json',
    BURSAR_ASSETS_FILE: '/etc/bursar/assets.json',
    BURSAR_XPUBS_FILE: '/etc/bursar/wallet.json',
  },
} satisfies IConfigMap

/** Files of a secret. Only the group of the pod may read them. */
const secret = (name: string, folder: string) => ({
  volume: { name, secret: { secretName: `bursar-${name}`, defaultMode: 0o440 } },
  mount: { name, mountPath: `/run/secrets/${folder}`, readOnly: true },
})

/** @param login whose connection string the container gets; `owner` alone may change the schema */
const containerOf = (login: Login, args: string[], more: Partial<IContainer> = {}): IContainer => ({
  name: 'bursar',
  image: 'bursar:0.1.0',
  args,
  env: [{ name: 'DATABASE_URL_FILE', value: '/run/secrets/database/url' }],
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  ...more,
  volumeMounts: [
    secret(`database-${login}`, 'database').mount,
    { name: 'temporary', mountPath: '/tmp' },
    ...(more.volumeMounts ?? []),
  ],
})

const podOf = (login: Login, container: IContainer, more: Partial<IPodSpec> = {}): IPodSpec => ({
  serviceAccountName: 'bursar',
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  ...more,
  containers: [container],
  volumes: [
    secret(`database-${login}`, 'database').volume,
    { name: 'temporary', emptyDir: { sizeLimit: '256Mi' } },
    ...(more.volumes ?? []),
  ],
})

/** One Job for each version: delete the one of the version before. It ends when the database is migrated. */
const migrate = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metadataOf('migrate'),
  spec: {
    backoffLimit: 3,
    template: {
      metadata: { labels: labelsOf('migrate') },
      spec: podOf('owner', containerOf('owner', ['migrate']), { restartPolicy: 'Never' }),
    },
  },
} satisfies IJob

const files = {
  volume: { name: 'files', configMap: { name: 'bursar-files' } },
  mount: { name: 'files', mountPath: '/etc/bursar', readOnly: true },
}

const probe = (path: '/health/live' | '/health/ready') => ({ httpGet: { path, port: 'inner' } })

/** The worker alone has the certificate for the signer. */
const signerFiles = secret('signer-client', 'signer')
const signerSettings = [
  { name: 'BURSAR_SIGNER', value: `https://signer.example.com:${PORTS.signer}` },
  { name: 'BURSAR_SIGNER_CA_FILE', value: '/run/secrets/signer/ca.pem' },
  { name: 'BURSAR_SIGNER_CERT_FILE', value: '/run/secrets/signer/cert.pem' },
  { name: 'BURSAR_SIGNER_KEY_FILE', value: '/run/secrets/signer/key.pem' },
]

const roleContainer = (role: Role): IContainer => {
  const shared = secret('shared', 'shared')
  const { env, ...container } = containerOf(role, [], {
    volumeMounts: [files.mount, shared.mount, ...(role === 'worker' ? [signerFiles.mount] : [])],
  })
  return {
    ...container,
    // The arguments of Node fit the role: those of the image fit any role.
    command: ['/usr/lib/bursar/node', ...heapFlagsOf(role), PROGRAM],
    args: ['serve', '--role', role],
    envFrom: [{ configMapRef: { name: settings.metadata.name } }],
    env: [...env!, ...(role === 'worker' ? signerSettings : [])],
    ports: [
      { name: 'inner', containerPort: PORTS.inner },
      ...(role === 'api' ? [{ name: 'http', containerPort: PORTS.http }] : []),
    ],
    startupProbe: { ...probe('/health/live'), periodSeconds: 2, failureThreshold: 60 },
    readinessProbe: { ...probe('/health/ready'), periodSeconds: 5, timeoutSeconds: 5 },
    // It asks no other system: a restart does not bring back a database or a signer.
    livenessProbe: { ...probe('/health/live'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    // Requests on their way to a pod that leaves still find its port.
    ...(role === 'api' && { lifecycle: { preStop: { sleep: { seconds: 5 } } } }),
    resources: { requests: { cpu: '250m', memory: '384Mi' }, limits: { memory: '1Gi' } },
  }
}

const REPLICAS: Readonly<Record<Role, number>> = { api: 2, worker: 2, watcher: 2 }

const deploymentOf = (role: Role) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(role),
    spec: {
      replicas: REPLICAS[role],
      revisionHistoryLimit: 2,
      selector: { matchLabels: labelsOf(role) },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: labelsOf(role) },
        spec: podOf(role, roleContainer(role), {
          terminationGracePeriodSeconds: 40,
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: labelsOf(role) },
            },
          ],
          volumes: [
            files.volume,
            secret('shared', 'shared').volume,
            ...(role === 'worker' ? [signerFiles.volume] : []),
          ],
        }),
      },
    },
  }) satisfies IDeployment

const budgetOf = (role: Role) =>
  ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadataOf(role),
    spec: { minAvailable: 1, selector: { matchLabels: labelsOf(role) } },
  }) satisfies IPodDisruptionBudget

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf('api'),
  spec: { selector: labelsOf('api'), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
} satisfies IService

const tcp = (...ports: number[]) => ports.map((port) => ({ protocol: 'TCP' as const, port }))

/** Nothing reaches a pod, and no pod reaches anything, but for the policies below. */
const denyAll = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'bursar-deny-all', namespace: NAMESPACE },
  spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
} satisfies INetworkPolicy

/** Names and the database, for every pod. */
const common = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'bursar-database', namespace: NAMESPACE },
  spec: {
    podSelector: {},
    policyTypes: ['Egress'],
    egress: [
      {
        to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
        ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)],
      },
      { to: [{ ipBlock: { cidr: DATABASE } }], ports: tcp(PORTS.database) },
    ],
  },
} satisfies INetworkPolicy

/** The ingress controller reaches the api, and the monitoring reaches the metrics of every role. */
const inward = (role: Role) =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `bursar-to-${role}`, namespace: NAMESPACE },
    spec: {
      podSelector: { matchLabels: labelsOf(role) },
      policyTypes: ['Ingress'],
      ingress: [
        ...(role === 'api'
          ? [{ from: [{ namespaceSelector: { matchLabels: { 'bursar/ingress': 'true' } } }], ports: tcp(PORTS.http) }]
          : []),
        { from: [{ namespaceSelector: { matchLabels: { 'bursar/monitoring': 'true' } } }], ports: tcp(PORTS.inner) },
      ],
    },
  }) satisfies INetworkPolicy

/**
 * The worker calls nodes, merchants' webhooks, acquirers and mail servers; the watcher calls nodes. The api calls none.
 * Only the worker reaches the signer: its address is left out of the open range.
 */
const outward = (role: 'worker' | 'watcher') =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `bursar-from-${role}`, namespace: NAMESPACE },
    spec: {
      podSelector: { matchLabels: labelsOf(role) },
      policyTypes: ['Egress'],
      egress: [
        { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: [SIGNER] } }] },
        ...(role === 'worker' ? [{ to: [{ ipBlock: { cidr: SIGNER } }], ports: tcp(PORTS.signer) }] : []),
      ],
    },
  }) satisfies INetworkPolicy

/** In the order in which they are applied: the database is migrated before a role of the new version starts. */
export const MANIFESTS = [
  namespace,
  account,
  settings,
  denyAll,
  common,
  migrate,
  ...ROLES.map(inward),
  outward('worker'),
  outward('watcher'),
  ...ROLES.map(deploymentOf),
  ...ROLES.map(budgetOf),
  service,
]

/** Returns the text of `bursar.yaml`. */
export const manifestsYaml = (): string =>
  [
    '# Made by npm run generate from tools/package/kubernetes.ts. docs/operating/containers.md says what to change.\n',
    ...MANIFESTS.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })),
  ].join('---\n')
