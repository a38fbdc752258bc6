/**
 * Stands in for the SDK's default credentials chain in the bundle: Lambda, like the local run, gives a function its
 * credentials in the environment, so that the chain's other links (SSO, profiles, containers, instance metadata) are a
 * fifth of the code to load, and never used.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
