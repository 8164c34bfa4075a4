export const pairings = {
  title: 'Connect a command line',
  question: 'Does your terminal show this code?',
  text: 'Approve only if you started this yourself and both codes match. Otherwise refuse it: someone else may be trying to connect.',
  computer: 'Computer',
  address: 'Address',
  environment: 'Environment',
  asked: 'Started',
  gets: 'Its key can',
  keepsOut: "Your role can't grant",
  live: 'This key works with real payments.',
  approve: 'Approve and create the key',
  refuse: 'Refuse',
  noRole: "Your role can't create keys. Ask an owner or a developer of your team to open this address.",
  nothing: "Your role can't grant any of these rights. Refuse the request and ask an owner.",
  overTitle: 'This request is closed',
  overText:
    'It was already answered, it expired after ten minutes, or it belongs to the other environment. Run the command again.',
} as const;
