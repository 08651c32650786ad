print("ostiary")
