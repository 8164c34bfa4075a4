export const pairings = {
  title: 'Connect a command line',
  question: 'Does your terminal show this code?',
  text: 'Approve only if you started this yourself and both codes are the same. Otherwise refuse: someone else may be asking.',
  computer: 'Computer',
  address: 'Address',
  environment: 'Environment',
  asked: 'Started',
  gets: 'Its key can',
  keepsOut: "Your role can't give",
  live: 'This key works with real payments.',
  approve: 'Approve and create the key',
  refuse: 'Refuse',
  noRole: "Your role can't create keys. Ask an owner or a developer of your team to open this address.",
  nothing: 'Your role can give none of what it asks for. Refuse, and ask an owner.',
  overTitle: 'This request is over',
  overText:
    'It was decided, it expired after ten minutes, or it is of the other environment. Run the command again.',
} as const;
