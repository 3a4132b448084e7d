// FarmAPI
